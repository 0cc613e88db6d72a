import starlight from '@astrojs/starlight';
export default defineConfig({ srcDir: './source', publicDir: './static', integrations: [starlight({ title: 'x' })] });
