module.exports = {baseUrl: '/', staticDirectories: ['public', 'static'], i18n: {defaultLocale: 'en', locales: ['en', 'fr']}, presets: [['classic', {blog: false}]]};
