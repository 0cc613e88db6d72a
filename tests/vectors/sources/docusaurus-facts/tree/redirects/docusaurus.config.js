module.exports = {baseUrl: '/', presets: [['classic', {}]],
plugins: [['@docusaurus/plugin-client-redirects', {redirects: [{from: '/old', to: '/docs/a'}, {from: ['/b', '/c/d'], to: '/docs/a'}]}]]};
