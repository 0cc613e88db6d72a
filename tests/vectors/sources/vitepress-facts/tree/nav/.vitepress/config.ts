export default { themeConfig: { nav: [{ text: 'x', link: '/none' }] } }
