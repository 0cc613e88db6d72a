const shared = require('./shared');
module.exports = {baseUrl: '/', ...shared};
