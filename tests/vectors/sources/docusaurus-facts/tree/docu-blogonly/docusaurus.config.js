module.exports = {baseUrl: '/', presets: [['classic', {docs: false, blog: {routeBasePath: '/'}}]]};
