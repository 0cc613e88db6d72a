module.exports = {baseUrl: process.env.BASE || '/', presets: [['classic', {}]]};
