module.exports = {title: 'x', url: 'https://example.com', baseUrl: '/', presets: [['classic', {}]]};
