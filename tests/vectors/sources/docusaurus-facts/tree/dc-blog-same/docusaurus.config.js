module.exports = {baseUrl: '/', presets: [['classic', {}]], plugins: [['@docusaurus/plugin-content-blog', {id: 'second', routeBasePath: 'second', path: './second'}]]};
