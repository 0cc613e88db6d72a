export default {baseUrl: '/', presets: [['@docusaurus/preset-classic', {}]]};
