module.exports = {title: 'x', url: 'https://example.com', baseUrl: '/',
  plugins: ['./src/plugin'], presets: [['classic', {blog: false}]]};
