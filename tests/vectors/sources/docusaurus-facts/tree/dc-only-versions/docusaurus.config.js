module.exports = {baseUrl: '/', presets: [['classic', {docs: {includeCurrentVersion: false}}]]};
