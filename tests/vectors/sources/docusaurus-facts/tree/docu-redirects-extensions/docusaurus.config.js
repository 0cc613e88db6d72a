module.exports = {baseUrl: '/', presets: [['classic', {}]], plugins: [['@docusaurus/plugin-client-redirects', {fromExtensions: ['html']}]]};
