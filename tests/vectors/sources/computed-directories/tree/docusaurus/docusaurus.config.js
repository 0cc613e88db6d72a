const path = require('path');

module.exports = {
  baseUrl: '/',
  presets: [['classic', { docs: { path: path.resolve(__dirname, 'docs') } }]],
};
