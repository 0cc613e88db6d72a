export default { base: process.env.BASE ?? '/' }
