import starlight from '@astrojs/starlight';
export default defineConfig({ build: { format: 'file' }, integrations: [starlight({ title: 'x' })] });
