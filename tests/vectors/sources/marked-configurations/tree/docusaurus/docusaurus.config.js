module.exports = { baseUrl: '/', presets: [['classic', {}]] };
