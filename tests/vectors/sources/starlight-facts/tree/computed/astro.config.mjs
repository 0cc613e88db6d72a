import starlight from '@astrojs/starlight';
export default defineConfig({ base: process.env.BASE, integrations: [starlight({ title: 'x' })] });
