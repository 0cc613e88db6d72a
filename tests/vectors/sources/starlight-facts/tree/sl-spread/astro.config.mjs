import starlight from '@astrojs/starlight';
const site = 'https://example.com';
export default defineConfig({ site, base: '/x/', integrations: [starlight({ title: 'x' }), mdx()] });
