module.exports = {baseUrl: '/', presets: [['classic', {docs: {path: 'docs', routeBasePath: '/'}}]]};
