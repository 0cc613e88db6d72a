const base = process.env.BASE;
module.exports = {baseUrl: process.env.BASE || '/', presets: [['classic', {docs: {routeBasePath: base}}]]};
