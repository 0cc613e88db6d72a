export default defineConfig({
  rewrites(id) { return id.replace(/^x/, '') },
})
