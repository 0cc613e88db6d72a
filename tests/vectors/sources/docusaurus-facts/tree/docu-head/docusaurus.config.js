module.exports = {baseUrl: '/', markdown: {format: 'md'}, presets: [['classic', {}]]};
