import starlight from '@astrojs/starlight'
export default defineConfig({
  site: 'https://example.com',
  integrations: [
    starlight({
      title: 'x',
      social: [{ icon: 'github', label: 'x', href: 'https://github.com/x' }],
      sidebar: [{ label: 'G', items: [{ slug: 'guides/none' }] }],
      editLink: { baseUrl: 'https://github.com/x/edit/main/' },
    }),
  ],
})
