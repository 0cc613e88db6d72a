import { defineConfig } from 'astro/config';
import starlight from '@astrojs/starlight';
export default defineConfig({
  site: 'https://example.com', base: '/anvil', trailingSlash: 'always',
  redirects: { '/old': '/new', '/anvil-old': { status: 302, destination: '/x' }, '/blog/[...slug]': '/b/[...slug]' },
  integrations: [starlight({ title: 'x' })],
});
