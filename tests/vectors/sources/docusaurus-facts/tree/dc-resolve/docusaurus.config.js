module.exports = {baseUrl: '/', presets: [[require.resolve('@docusaurus/preset-classic'), {docs: {path: 'x', routeBasePath: 'y'}}]], plugins: [require.resolve('./my-plugin'), ]};
