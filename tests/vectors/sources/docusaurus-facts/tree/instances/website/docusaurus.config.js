const one = {id: 'api', path: '../api', routeBasePath: 'api'};
module.exports = {baseUrl: '/', presets: [['classic', {docs: {path: '../docs'}, blog: false}]],
plugins: [['@docusaurus/plugin-content-docs', one], ['content-docs', {id: 'cli', path: 'cli', routeBasePath: 'cli', numberPrefixParser: false}]]};
