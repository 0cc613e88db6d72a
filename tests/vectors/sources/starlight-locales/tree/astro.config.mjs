import { defineConfig } from 'astro/config';
import starlight from '@astrojs/starlight';

export default defineConfig({
  site: 'https://anvil.example',
  base: '/anvil',
  redirects: { '/alt/[...rest]': '/forge/', '/old': '/forge/' },
  integrations: [
    starlight({
      title: 'Anvil',
      defaultLocale: 'root',
      locales: { root: { label: 'English', lang: 'en' }, de: { label: 'Deutsch', lang: 'de' } },
    }),
  ],
});
