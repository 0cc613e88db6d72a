module.exports = {baseUrl: '/', presets: [['classic', {}]],
plugins: [['@docusaurus/plugin-client-redirects', {createRedirects(path) { return ['/x' + path]; }}]]};
