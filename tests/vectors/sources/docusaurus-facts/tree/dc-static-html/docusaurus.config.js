module.exports = {baseUrl: '/b/', presets: [['classic', {}]]};
