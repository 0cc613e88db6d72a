const withNextra = require('nextra')({ theme: 'nextra-theme-docs', themeConfig: './theme.config.jsx' })

module.exports = withNextra({
  basePath: '/helm',
  async redirects() {
    return [{ source: '/old/:path*', destination: '/wheel', permanent: true }]
  },
})
