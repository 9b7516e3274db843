-- Holds every job at submission, for the external scheduler to release: copy it beside slurm.conf, with
-- JobSubmitPlugins=lua there.
--
-- The tag tells these holds from users' own: a job submitted with --hold (priority 0) gets none, and the external
-- scheduler never touches it; when its user releases it, Slurm's own loop starts it.
function slurm_job_submit(job, partition, user)
    if job.priority ~= 0 then
        job.priority = 0
        job.admin_comment = "surefill"
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job, record, partition, user)
    return slurm.SUCCESS
end
