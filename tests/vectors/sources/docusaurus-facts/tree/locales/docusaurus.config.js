module.exports = {baseUrl: '/b/', i18n: {defaultLocale: 'en', locales: ['en', 'de']}, presets: [['classic', {}]]};
