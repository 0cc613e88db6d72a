module.exports = {title: 'x', url: 'https://example.com', baseUrl: '/base/',
  i18n: {defaultLocale: 'en', locales: ['en', 'fr', 'de'], path: 'lang',
    localeConfigs: {fr: {path: 'french', baseUrl: '/base/francais/'}}},
  presets: [['classic', {blog: false}]]};
