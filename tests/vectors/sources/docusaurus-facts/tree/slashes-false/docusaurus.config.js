module.exports = {baseUrl: '/', trailingSlash: false, presets: [['classic', {}]]};
