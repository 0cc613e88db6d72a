module.exports = { base: '/en/' }
