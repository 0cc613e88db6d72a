module.exports = {baseUrl: '/', plugins: ['@docusaurus/plugin-content-pages', ['@docusaurus/plugin-content-docs', {path: 'x', routeBasePath: 'y'}]]};
