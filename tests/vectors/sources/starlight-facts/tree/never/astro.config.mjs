import starlight from '@astrojs/starlight';
export default defineConfig({ trailingSlash: 'never', integrations: [starlight({ title: 'x' })] });
