module.exports = {
  title: 'Loom',
  url: 'https://loom.example',
  baseUrl: '/loom/',
  i18n: { defaultLocale: 'en', locales: ['en', 'de'] },
  staticDirectories: ['static', 'extra'],
  presets: [
    ['@docusaurus/preset-classic', {
      docs: { path: '../manual', routeBasePath: 'cook', sidebarPath: require.resolve('./sidebars.js') },
      blog: false,
    }],
  ],
  plugins: [
    ['@docusaurus/plugin-client-redirects', { redirects: [{ from: ['/old', '/older'], to: '/cook/glaze' }] }],
  ],
};
