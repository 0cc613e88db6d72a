module.exports = {baseUrl: '/', trailingSlash: true, presets: [['classic', {}]]};
