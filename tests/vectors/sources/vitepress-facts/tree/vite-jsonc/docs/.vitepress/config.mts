import { defineConfig } from 'vitepress'

// https://vitepress.dev/reference/site-config
export default defineConfig({
  title: "My",
  lastUpdated: true,
  themeConfig: {
    nav: [{ text: 'Home', link: '/' }],
    sidebar: [{ text: 'E', items: [{ text: 'M', link: '/none' }] }],
    socialLinks: [{ icon: 'github', link: 'https://github.com/x' }]
  },
  markdown: { math: true, lineNumbers: true },
})
