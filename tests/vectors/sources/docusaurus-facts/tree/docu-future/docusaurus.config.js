// @ts-check
import {themes as prismThemes} from 'prism-react-renderer';

/** @type {import('@docusaurus/types').Config} */
const config = {
  title: 'My Site',
  url: 'https://example.com',
  baseUrl: '/',
  future: { v4: true },
  onBrokenLinks: 'throw',
  i18n: { defaultLocale: 'en', locales: ['en', 'pt-BR'], localeConfigs: { 'pt-BR': { path: 'pt' } } },
  presets: [
    [
      'classic',
      /** @type {import('@docusaurus/preset-classic').Options} */
      ({
        docs: { sidebarPath: './sidebars.js', editUrl: 'https://github.com/x' },
        blog: { showReadingTime: true, feedOptions: { type: ['rss', 'atom'], xslt: true } },
        theme: { customCss: './src/css/custom.css' },
      }),
    ],
  ],
  themeConfig: ({ navbar: { items: [{ to: '/none', label: 'x' }] },
    footer: { links: [{ items: [{ to: '/blog' }, { to: '/gone' }, { to: 'https://example.com/' }, { href: '/x' }] }] } }),
};

export default config;
