import starlight from '@astrojs/starlight';
import starlightBlog from 'starlight-blog';
export default defineConfig({ integrations: [starlight({ title: 'x', plugins: [starlightBlog()] })] });
