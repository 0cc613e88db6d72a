export default defineConfig({
  rewrites: {
    'packages/:pkg/src/:page': ':pkg/:page',
    'a/b.md': 'c.md',
    'deep/:rest*': 'shallow/:rest*',
  },
})
