import starlight from '@astrojs/starlight';
export default defineConfig({ redirects: { '/a': '/b', '/c/': '/b' }, integrations: [starlight({ title: 'x' })] });
