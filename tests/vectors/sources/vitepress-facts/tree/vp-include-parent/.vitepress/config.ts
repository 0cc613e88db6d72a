export default { srcExclude: ['parts/**'] }
