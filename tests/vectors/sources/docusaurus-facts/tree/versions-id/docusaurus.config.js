module.exports = {baseUrl: '/', presets: [['classic', {}]], plugins: [['@docusaurus/plugin-content-docs', {id: 'api', path: 'api', routeBasePath: 'api'}]]};
