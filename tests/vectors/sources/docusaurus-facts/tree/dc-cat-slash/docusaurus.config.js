module.exports = {baseUrl: '/', presets: [['classic', {docs: {routeBasePath: '/'}}]]};
