module.exports = {baseUrl: '/', presets: [['classic', {docs: false, blog: false, pages: {path: 'pages'}}]]};
