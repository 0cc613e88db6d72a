import { withMermaid } from 'vitepress-plugin-mermaid'
export default withMermaid(defineConfig({ srcDir: 'src', base: '/x/' }))
