module.exports = {baseUrl: '/', presets: [['classic', {blog: {routeBasePath: 'news', path: 'news'}}]]};
