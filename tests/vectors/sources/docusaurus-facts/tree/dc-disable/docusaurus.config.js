module.exports = {baseUrl: '/', presets: [['classic', {docs: {disableVersioning: true}}]]};
